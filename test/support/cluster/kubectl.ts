import { spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';

/** A kubectl, or another program that takes a kubeconfig as it does, such as helm. */
export class Kubectl {
  readonly #program: string;
  readonly #kubeconfig: string;

  constructor(program: string, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  /** Answers what it printed; throws with what it said where it fails. */
  async run(args: readonly string[], input = ''): Promise<string> {
    const child = spawn(this.#program, args, { stdio: 'pipe', env: { ...process.env, KUBECONFIG: this.#kubeconfig } });
    child.stdin.on('error', () => undefined); // It may end before it has read all.
    child.stdin.end(input);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [code, printed, said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    if (code !== 0) throw new Error(`${this.#program} ${args.join(' ')}: exit ${code}\n${said}`);
    return printed;
  }
}
