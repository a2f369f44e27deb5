import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { ApiError, type NoAnswer } from '../kube/api-error.ts';

/** What a person is told of a call that the API server has refused, or not answered. */
export interface Refusal {
  readonly message: string;
  readonly exit: ExitCode;
}

/** Where kubectl, too, looks for a cluster that nothing names. */
const NO_CONFIG = 'http://localhost:8080';
export const INSTALL = 'helm install rollout charts/rollout --namespace rollout --create-namespace';

/** `server`: the address of the API server. */
export function refusalOf(error: ApiError | NoAnswer, server: string): Refusal {
  if (!(error instanceof ApiError)) return { message: silence(error, server), exit: EXIT.notReachable };
  const known = knownRefusal(error, server);
  if (known !== null) return { message: known, exit: EXIT.usage };
  if (error.status === 409) return { message: `${error.message}: give the command again`, exit: EXIT.notReachable };
  const isTheirs = error.status === 429 || error.status >= 500;
  if (isTheirs) return { message: `the API server at ${server} is in trouble (${error.message}): try again`, exit: EXIT.notReachable };
  return { message: error.message, exit: EXIT.usage };
}

/** Whether the server is away or in trouble, so that the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  return error instanceof ApiError ? error.status === 429 || error.status >= 500 : error instanceof Error && error.name === 'NoAnswer';
}

function silence(error: NoAnswer, server: string): string {
  if (server === NO_CONFIG)
    return `no cluster is configured, and none answers at ${server}: name a kubeconfig with --kubeconfig or in KUBECONFIG`;
  const why = error.message.replace(/^[A-Z]+ \S+: /, '');
  return `the API server at ${server} does not answer (${why}): \`kubectl cluster-info\` asks the same one; choose another with --context`;
}

function knownRefusal({ status, reason, message }: ApiError, server: string): string | null {
  if (status === 401)
    return `the API server at ${server} does not know you: log in again, or choose another user with --context (\`kubectl config get-contexts\`)`;
  if (status === 403) return forbidden(message);
  if (status === 404 && /could not find the requested resource|page not found/.test(message))
    return `the cluster at ${server} does not know the kind RolloutRun: install the operator with \`${INSTALL}\`, or choose another cluster with --context`;
  const namespace = /namespaces "([^"]+)" not found/.exec(message)?.[1];
  if (status === 404 && namespace !== undefined)
    return `there is no namespace ${namespace}: create it with \`kubectl create namespace ${namespace}\`, or choose another one with -n`;
  return reason === 'AlreadyExists' ? `${message}: choose another name, or delete the one that is there` : null;
}

const FORBIDDEN =
  /User "([^"]*)" cannot (\S+) resource "([^"]+)"(?: in API group "([^"]*)")?(?: in the namespace "([^"]*)"| at the cluster scope)?/;

/** Rights are asked for by verb, resource and group. Others may refuse as well, such as an admission webhook or a quota. */
function forbidden(message: string): string {
  const found = FORBIDDEN.exec(message);
  if (found === null) return message;
  const [, user = '', verb = '', resource = '', group = '', namespace] = found;
  const [name = resource, subresource] = resource.split('/');
  const where = namespace === undefined ? 'in the whole cluster' : `in the namespace ${namespace}`;
  const what = group === '' ? resource : `${resource} of the API group ${group}`;
  const may = [
    `kubectl auth can-i ${verb} ${group === '' ? name : `${name}.${group}`}`,
    ...(subresource === undefined ? [] : [`--subresource=${subresource}`]),
    namespace === undefined ? '--all-namespaces' : `-n ${namespace}`,
  ];
  return `${user} may not ${verb} ${resource} ${where}: ask for a role with the verb \`${verb}\` on ${what}; \`${may.join(' ')}\` tells whether you have it`;
}
