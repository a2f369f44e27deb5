import { join } from 'node:path';
import type { Fenced } from '../../runtime/ledger/contract.ts';
import type { Reply } from '../../runtime/ledger/redis/refusal.ts';
import type { Argument } from '../../runtime/ledger/redis/scripts.ts';
import type { Epoch } from '../../runtime/model/row.ts';
import { segmentName } from '../../runtime/results/place/segment-name.ts';
import { STATE } from './sim-disk.ts';
import type { SimFile } from './sim-files.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

interface Segment {
  readonly file: SimFile;
  readonly creator: string;
}

/**
 * Results in the store, as the scripts of the Redis server keep them (runtime/ledger/redis/lua). Their bytes are files of the disk that
 * are durable at once, so that everything that looks at the result log sees them.
 */
export class SimInline {
  readonly #world: World;
  readonly #segments = new Map<Epoch, Segment>();
  #placeId: string | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  async carryOut(script: string, args: readonly Argument[], by: SimProcess): Promise<Reply | readonly unknown[] | Fenced> {
    if (script === 'segments') return ['seen', this.#fields()];
    const asked = args[0] as Epoch;
    const { epoch } = await this.#world.ledger.progress();
    if (epoch > asked) return { kind: 'fenced', epoch };
    if (script === 'open-results') return this.#open(String(args[1]), by);
    if (script === 'create-segment') return this.#create(asked, String(args[1]), args[2] as Buffer, by);
    if (script === 'append-segment') return this.#append(asked, args[1] as number, args[2] as Buffer);
    throw new Error(`no script ${script}`);
  }

  #open(placeId: string, by: SimProcess): Reply {
    this.#world.disk.files.makeFolders(by, STATE.segmentsDir);
    this.#placeId ??= placeId;
    return ['opened', 0, this.#placeId];
  }

  #create(epoch: Epoch, creator: string, first: Buffer, by: SimProcess): Reply {
    const there = this.#segments.get(epoch);
    if (there !== undefined) return [there.creator === creator && there.file.bytes.length === first.length ? 'created' : 'exists', 0];
    const { disk } = this.#world;
    const path = pathOf(epoch);
    disk.segments.onOpened(path, 'wx');
    const file = disk.files.create(by, path);
    for (const folder of ['/', STATE.segmentsDir]) disk.files.syncFolder(folder);
    this.#segments.set(epoch, { file, creator });
    this.#grow(epoch, file, first);
    return ['created', 0];
  }

  #append(epoch: Epoch, at: number, bytes: Buffer): Reply {
    const segment = this.#segments.get(epoch);
    if (segment === undefined) return ['elsewhere', 0];
    const { file } = segment;
    if (file.bytes.length === at) {
      this.#grow(epoch, file, bytes);
      return ['appended', 0];
    }
    this.#world.coverage.count('append that was carried out before');
    return [file.bytes.subarray(at, at + bytes.length).equals(bytes) ? 'appended' : 'elsewhere', 0];
  }

  #grow(epoch: Epoch, file: SimFile, bytes: Buffer): void {
    file.append(bytes);
    file.syncedBytes = file.bytes.length;
    this.#world.disk.segments.onSynced(pathOf(epoch), file);
  }

  #fields(): readonly Buffer[] {
    const sizes = [...this.#segments].flatMap(([epoch, { file, creator }]) => [String(epoch), `${file.bytes.length} ${creator}`]);
    const place = this.#placeId === null ? [] : ['place', this.#placeId];
    return [...place, ...sizes].map((text) => Buffer.from(text));
  }
}

function pathOf(epoch: Epoch): string {
  return join(STATE.segmentsDir, segmentName(epoch));
}
