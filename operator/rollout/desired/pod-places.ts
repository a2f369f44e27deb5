/** Where the parts of a run find one another in their pods, and how long those may take to end. */

export const PORT = 50_051;
export const HTTP_PORT = 9_464;
export const STATE_DIR = '/state';
export const CONFIG_DIR = '/etc/rollout';
/** Where the run's ConfigMap has further authorities, and the name of their file. */
export const EXTRA_CA_KEY = 'extra-ca.pem';
export const TLS_DIR = '/tls';
export const REDIS_DIR = '/redis';
export const OUTPUT_DIR = '/output';
export const INPUT_FILE: string = `${STATE_DIR}/input.jsonl`;
export const OUTPUT_FILE: string = `${STATE_DIR}/output.jsonl`;
export const RUN_DIR: string = `${STATE_DIR}/run`;

/** Twice the default of Kubernetes: an answer of a model takes tens of seconds. */
export const GRACE_SECONDS = 60;
