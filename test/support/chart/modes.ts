/** Three ways in which the chart is installed. */

const DIGEST = `sha256:${'0'.repeat(64)}`;

export const CLUSTER_WIDE: object = {};

export const NAMESPACED: object = { watchNamespaces: ['team-a', 'team-b'] };

export const EVERYTHING: object = {
  global: { imageRegistry: 'registry.example.com/mirror', imagePullSecrets: [{ name: 'mirror' }] },
  image: { digest: DIGEST },
  imagePullSecrets: [{ name: 'own' }, { name: 'mirror' }],
  serviceAccount: { annotations: { 'example.com/role': 'rollout' } },
  runs: { networkPolicy: true, openshift: true },
  signals: [{ kind: 'taint', key: 'example.com/going', severity: 'drain', leadSeconds: 60 }],
  proxy: { httpProxy: 'http://proxy.example.com:3128', httpsProxy: 'http://proxy.example.com:3128' },
  extraCa: { configMap: 'corporate-ca' },
  certManager: { enabled: true },
  metrics: {
    tlsSecret: 'metrics-tls',
    service: { annotations: { 'example.com/scrape': 'yes' } },
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
    grafanaDashboard: { enabled: true },
  },
  networkPolicy: {
    enabled: true,
    metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    extraEgress: [{ ports: [{ port: 6379 }] }],
  },
  podAnnotations: { 'example.com/note': 'yes' },
  podLabels: { team: 'batch' },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [],
  priorityClassName: 'system-cluster-critical',
  extraEnv: [{ name: 'EXTRA', value: 'yes' }],
  extraArgs: ['--extra'],
  extraVolumes: [{ name: 'extra', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'extra', mountPath: '/extra' }],
  redis: { bundled: { enabled: true, storage: '1Gi', storageClassName: 'standard' } },
};
