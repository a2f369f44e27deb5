/** How a figure stands in the table. */
interface Figure {
  /** Null: it is kept with the results, and is no row of the table. */
  readonly label: string | null;
  readonly digits: number;
}

export type FigureName =
  | 'itemsPerSecond'
  | 'cpuUsPerItem'
  | 'busyPercent'
  | 'cpuPercent'
  | 'seconds'
  | 'cpuSeconds'
  | 'earlyRssMiB'
  | 'peakRssMiB'
  | 'heapMiB'
  | 'bufferMiB'
  | 'mappedMiB'
  | 'otherMiB'
  | 'redisBytesPerItem'
  | 'wholeSeconds'
  | 'wholeCpuSeconds';

/** In the order of the table. */
export const FIGURES: Readonly<Record<FigureName, Figure>> = {
  itemsPerSecond: { label: 'items/s', digits: 0 },
  cpuUsPerItem: { label: 'CPU µs per item, all processes', digits: 0 },
  busyPercent: { label: '% of the slots busy', digits: 1 },
  cpuPercent: { label: '% of a core, coordinator', digits: 1 },
  seconds: { label: 's', digits: 2 },
  cpuSeconds: { label: 's of CPU, all processes', digits: 2 },
  earlyRssMiB: { label: 'MiB, highest RSS of the coordinator in the first tenth', digits: 0 },
  peakRssMiB: { label: 'MiB, highest RSS of the coordinator', digits: 0 },
  heapMiB: { label: 'MiB of that: JavaScript heap', digits: 0 },
  bufferMiB: { label: 'MiB of that: buffers', digits: 0 },
  mappedMiB: { label: 'MiB of that: mapped files (store, program)', digits: 0 },
  otherMiB: { label: 'MiB of that: anything else', digits: 0 },
  redisBytesPerItem: { label: 'bytes in Redis per settled item', digits: 2 },
  wholeSeconds: { label: null, digits: 2 },
  wholeCpuSeconds: { label: null, digits: 2 },
};

const NAMES = Object.keys(FIGURES) as readonly FigureName[];

export const SHOWN_FIGURES: readonly FigureName[] = NAMES.filter((name) => FIGURES[name].label !== null);
