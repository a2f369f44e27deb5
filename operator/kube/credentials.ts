import { createHash } from 'node:crypto';
import { type Agent, Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';

/** What a request needs besides its own path and body. */
export interface Access {
  readonly headers: Readonly<Record<string, string>>;
  /** `user:password` for Basic authentication. */
  readonly auth: string | null;
  readonly agent: Agent;
}

export interface Credentials {
  /** For instance `https://10.0.0.1:443`, with a path where the server stands behind one. */
  readonly server: string;
  /** The namespace of the configuration's context; null where it names none. */
  readonly namespace: string | null;
  /** Asked before each request: tokens expire, and certificates are renewed. */
  access(): Promise<Access>;
  /** Ends all connections, those in use as well. */
  close(): void;
}

/** A peer that is gone without a word is noticed by the system in this time and about ten seconds more. */
export const KEEP_ALIVE_MS: number = 30_000;
/** The API server closes an idle connection after 90 s. One that is dropped before cannot be closed under a request. */
const IDLE_SOCKET_MS = 60_000;
/** Certificates that follow each other faster than connections end. A plugin may make one each hour, for years. */
const MAX_AGENTS = 4;

/** The configuration in a file; null for what `kubectl` would take, or within a pod the pod's service account. */
export function readKubeConfig(file: string | null): KubeConfig {
  const config = new KubeConfig();
  if (file === null) config.loadFromDefault();
  else config.loadFromFile(file);
  return config;
}

export function kubeCredentials(config: KubeConfig): Credentials {
  return new ConfiguredCredentials(config);
}

class ConfiguredCredentials implements Credentials {
  readonly server: string;
  readonly namespace: string | null;
  readonly #config: KubeConfig;
  readonly #isProxied: boolean;
  /** The agents of certificates that have been replaced have connections until those are idle. */
  readonly #agents = new Map<string, Agent>();
  #pending: Promise<Access> | null = null;

  constructor(config: KubeConfig) {
    const cluster = config.getCurrentCluster();
    if (cluster === null) throw new Error('the configuration of the cluster has no current context, or one without a cluster');
    this.#config = config;
    this.server = cluster.server.replace(/\/+$/, '');
    this.namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? null;
    this.#isProxied = cluster.proxyUrl !== undefined && cluster.proxyUrl !== '';
  }

  /** Requests that are made at once share one look: it reads files, and may start a plugin. */
  access(): Promise<Access> {
    this.#pending ??= this.#look().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #look(): Promise<Access> {
    const options: RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    const headers = Object.entries(options.headers ?? {}).map(([name, value]) => [name, String(value).trim()] as const);
    return { headers: Object.fromEntries(headers), auth: options.auth ?? null, agent: this.#agent(options) };
  }

  /** The agent that the configuration makes keeps no connection alive, and never learns of a renewed certificate. */
  #agent(options: RequestOptions): Agent {
    if (this.#isProxied && typeof options.agent === 'object') return this.#kept('proxy', () => options.agent as Agent);
    const { ca, cert, key, servername, rejectUnauthorized } = options;
    const tls: AgentOptions = Object.fromEntries(
      Object.entries({ ca, cert, key, servername, rejectUnauthorized }).filter(([, value]) => value !== undefined),
    );
    const kept = { keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, timeout: IDLE_SOCKET_MS };
    const isTls = this.server.startsWith('https:');
    return this.#kept(digestOf(tls), () => (isTls ? new HttpsAgent({ ...kept, ...tls }) : new HttpAgent(kept)));
  }

  #kept(material: string, make: () => Agent): Agent {
    const known = this.#agents.get(material);
    if (known !== undefined) return known;
    const agent = make();
    this.#agents.set(material, agent);
    for (const old of [...this.#agents.keys()].slice(0, -MAX_AGENTS)) this.#agents.delete(old);
    return agent;
  }
}

function digestOf(tls: AgentOptions): string {
  const hash = createHash('sha256');
  for (const [name, value] of Object.entries(tls)) hash.update(`${name}=${String(value)}\n`);
  return hash.digest('hex');
}
