import { spawnSync } from 'node:child_process';
import { holderOfCluster, runScript } from './scripts.ts';

/** What a test does to the machines under a cluster. */
export interface Nodes {
  /** Starts it again, or for the first time, with the images that the others have. */
  start(name: string): Promise<void>;
  /** Ends it at once, with all of its pods, like a machine that is taken away. */
  kill(name: string): Promise<void>;
  /** Nobody answers at the address of the API. `name`: the node of the control plane, where it has one. */
  stopApi(name: string): Promise<void>;
  startApi(name: string): Promise<void>;
  /** Gives an image that it has another name as well. */
  tagImage(node: string, image: string, name: string): Promise<void>;
}

/** Of the cluster that the scripts of test/cluster/kubernetes run on this machine. `images`: files of what each of its nodes has. */
export function ownNodes(images: readonly string[]): Nodes {
  return {
    start: async (name) => {
      await runScript('node.sh', ['start', name], { env: { CLUSTER_IMAGES: images.join(' ') } });
      for (const image of images) await runScript('node.sh', ['load', name, image]); // It may have run before there was this image.
    },
    kill: async (name) => void (await runScript('node.sh', ['kill', name])),
    stopApi: async () => void (await runScript('stop.sh', ['kube-apiserver'])),
    startApi: async () => {
      await runScript('up.sh', [], { env: { CLUSTER_NODES: '0', CLUSTER_HOLDER: String(holderOfCluster()) } });
    },
    tagImage: async (node, image, name) => void (await runScript('node.sh', ['enter', node, ...tagCommand(image, name)])),
  };
}

/** Of a cluster of kind, whose nodes are containers. Whoever started it has put the images into them. */
export const KIND_NODES: Nodes = {
  start: async (name) => docker('start', name),
  kill: async (name) => docker('kill', name),
  stopApi: async (name) => docker('stop', name),
  startApi: async (name) => docker('start', name),
  tagImage: async (node, image, name) => docker('exec', node, ...tagCommand(image, name)),
};

function tagCommand(image: string, name: string): readonly string[] {
  return ['ctr', '--namespace', 'k8s.io', 'images', 'tag', '--force', image, name];
}

function docker(...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('docker', args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`the nodes of this cluster are no containers that docker has here: ${stderr ?? ''}${error?.message ?? ''}`);
}
