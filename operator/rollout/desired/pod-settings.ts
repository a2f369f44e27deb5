/** How the pods of runs get the program: as the operator's own settings say. */
export interface PodSettings {
  readonly image: string;
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  /** Names of Secrets in the run's namespace. */
  readonly imagePullSecrets: readonly string[];
  /** Group that volumes belong to; null where the cluster gives one to each namespace, as OpenShift does. */
  readonly fsGroup: number | null;
  /** Namespace of the operator, where its runs get a NetworkPolicy; null where they get none. */
  readonly reachableFrom: string | null;
  /** Authorities that every process of a run trusts beside the usual ones, in PEM; null for none. */
  readonly extraCa: string | null;
  /** Variables of every container of the operator's own: proxies. */
  readonly env: Readonly<Record<string, string>>;
}
