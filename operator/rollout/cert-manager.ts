import type { Clock } from '../../runtime/base/clock.ts';
import { FIELD_MANAGER } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import { type Kind, SECRET, type Secret } from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';
import { CERTIFICATE, ISSUER } from './cert-manager-kinds.ts';
import { childMeta } from './children.ts';
import { issuedCertificates } from './desired/issued-certificates.ts';
import { type IssuedFinding, issuedFlaw } from './issued.ts';

/** Where a Certificate has been deleted, or cert-manager has been installed meanwhile, it is applied again after this time. */
const AGAIN_MS = 30_000;

interface Known {
  readonly appliedMs: number;
  readonly isInstalled: boolean;
}

/**
 * Has cert-manager issue the certificates of runs that ask for it. Its objects are in no cache, since the operator would not start where
 * their kinds are not installed: they are applied when the run is seen for the first time, and while something is missing.
 */
export class CertManager {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #isEnabled: boolean;
  readonly #known = new Map<string, Known>();

  constructor(client: KubeClient, clock: Clock, isEnabled: boolean) {
    this.#client = client;
    this.#clock = clock;
    this.#isEnabled = isEnabled;
  }

  /** `secrets`: those of the run, by name, as the cache has them. Null for a run that makes its own. */
  async find(run: RolloutRun, secrets: ReadonlyMap<string, Secret>): Promise<IssuedFinding | null> {
    if (run.spec.certificates.mode !== 'certManager') return null;
    if (!this.#isEnabled) return { kind: 'disabled' };
    const flaw = issuedFlaw(run, secrets, this.#clock.wallMs());
    if (flaw === null) return { kind: 'issued' };
    const known = this.#known.get(run.metadata.uid);
    if (known?.isInstalled === false) return { kind: 'not-installed' };
    return { kind: 'pending', message: `the Secret ${flaw.secret} ${flaw.flaw}${await this.#reason(run, flaw.secret, known)}` };
  }

  /** Applies what is to be issued where that is due, and takes the Secrets over, so that they go with the run. */
  async ensure(run: RolloutRun, secrets: ReadonlyMap<string, Secret>): Promise<void> {
    if (!this.#isEnabled) return;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known.get(run.metadata.uid);
    const isWhole = issuedFlaw(run, secrets, this.#clock.wallMs()) === null;
    if (known === undefined || (!isWhole && nowMs >= known.appliedMs + AGAIN_MS))
      this.#known.set(run.metadata.uid, { appliedMs: nowMs, isInstalled: await this.#apply(run) });
    for (const secret of secrets.values()) await this.#adopt(run, secret);
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }

  /** Whether there are such kinds. */
  async #apply(run: RolloutRun): Promise<boolean> {
    try {
      for (const object of issuedCertificates(run)) {
        const kind: Kind<KubeObject> = object.kind === ISSUER.kind ? ISSUER : CERTIFICATE;
        await this.#client.apply(kind, object, { fieldManager: FIELD_MANAGER, force: true });
      }
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** What cert-manager says of the Certificate; '' before it is asked for. */
  async #reason({ metadata }: RolloutRun, name: string, known: Known | undefined): Promise<string> {
    if (known === undefined) return '';
    const certificate = await this.#client.get(CERTIFICATE, { namespace: metadata.namespace, name });
    const ready = certificate?.status?.conditions?.find(({ type }) => type === 'Ready');
    return `; cert-manager says: ${ready?.message ?? 'nothing yet'}; \`kubectl describe certificate ${name} -n ${metadata.namespace}\` tells more`;
  }

  /** Its name and uid are named with the owner, so that no other Secret is changed. One that has an owner goes with that. */
  async #adopt(run: RolloutRun, { metadata }: Secret): Promise<void> {
    if (metadata.uid === undefined || (metadata.ownerReferences ?? []).length > 0) return;
    const { name, namespace, ownerReferences } = childMeta(run, metadata.name, 'coordinator');
    const owned = { metadata: { name, namespace, uid: metadata.uid, ownerReferences } } as Secret;
    await this.#client.apply(SECRET, owned, { fieldManager: FIELD_MANAGER, force: true });
  }
}
