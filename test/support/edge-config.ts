import { KubeConfig } from '@kubernetes/client-node';
import { type Credentials, kubeCredentials } from '../../operator/kube/credentials.ts';

/** The configuration of a cluster whose API server speaks plain HTTP, as the test's own one does. */
export function edgeConfig(server: string, user: object = { token: 'secret-token' }): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'edge', server, skipTLSVerify: true }],
    users: [{ name: 'user', ...user }],
    contexts: [{ name: 'context', cluster: 'edge', user: 'user', namespace: 'ns' }],
    currentContext: 'context',
  });
  return config;
}

export function edgeCredentials(server: string): Credentials {
  return kubeCredentials(edgeConfig(server));
}
