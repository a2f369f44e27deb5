import type { KubeConfig } from '@kubernetes/client-node';
import { RolloutError } from '../../runtime/base/errors.ts';
import { createClient } from '../kube/client.ts';
import { type Credentials, kubeCredentials, readKubeConfig } from '../kube/credentials.ts';
import { createTransport, type Transport } from '../kube/transport.ts';
import type { CliWorld, K8sDeps } from './deps.ts';
import type { ClusterArguments } from './verb-arguments.ts';

/** The cluster that the arguments name. Nothing is asked of it yet. */
export interface Cluster {
  readonly server: string;
  readonly deps: K8sDeps;
  close(): void;
}

export function openCluster(world: CliWorld, args: ClusterArguments): Cluster {
  const credentials = credentialsOf(args);
  const transport = createTransport({ credentials, clock: world.clock, userAgent: 'rollout-run' });
  const namespace = args.namespace ?? credentials.namespace ?? 'default';
  return {
    server: credentials.server,
    deps: { ...world, client: createClient(transport), transport, namespace },
    close: () => transport.close(),
  };
}

/** The same cluster, whose calls are given up when the signal aborts. */
export function stoppable(deps: K8sDeps, signal: AbortSignal): K8sDeps {
  const { transport } = deps;
  const stopped: Transport = {
    call: async (call) => transport.call({ ...call, signal }),
    open: async (call) => transport.open({ ...call, signal }),
    close: () => transport.close(),
  };
  return { ...deps, transport: stopped, client: createClient(stopped) };
}

function credentialsOf({ kubeconfig, context }: ClusterArguments): Credentials {
  const config = configOf(kubeconfig);
  if (context !== undefined) choose(config, context);
  try {
    return kubeCredentials(config);
  } catch (cause) {
    throw new RolloutError('USAGE', `${(cause as Error).message}: name one with --context (\`kubectl config get-contexts\` shows all)`, {
      cause,
    });
  }
}

function configOf(file: string | undefined): KubeConfig {
  try {
    return readKubeConfig(file ?? null);
  } catch (cause) {
    const which = file === undefined ? 'the kubeconfig' : `the kubeconfig ${file}`;
    throw new RolloutError('USAGE', `cannot read ${which}: ${(cause as Error).message}`, { cause });
  }
}

function choose(config: KubeConfig, context: string): void {
  if (config.getContextObject(context) === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw new RolloutError('USAGE', `the kubeconfig has no context ${context}; it has ${known.join(', ') || 'none'}`);
  }
  config.setCurrentContext(context);
}
