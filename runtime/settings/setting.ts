import type { FailureLimit } from '../model/failure-limit.ts';

/**
 * A setting as the tables of this folder declare it. The schema of a settings file (schema.ts), the options of `rollout run`
 * (cli/run-options.ts) and the tables of docs/settings.md (scripts/settings-page.ts) are made from these declarations.
 */
export type Setting = Declared & Kind;

/** The settings of one file or one backend by path: `hints.file` is the setting `file` of the block `hints`. */
export type Settings = Readonly<Record<string, Setting>>;

interface Declared {
  /** One sentence for docs/settings.md and for the help text, which leaves out the backticks. */
  readonly text: string;
  /** Follows `text` in docs/settings.md. */
  readonly more?: string;
  /** The flag of `rollout run` that gives this setting, as commander reads it. */
  readonly flags?: string;
  /** The help text, where it is not `text`. */
  readonly help?: string;
  /** Says what holds where the setting is not given; it is null once read. A setting with neither this nor a default is required. */
  readonly otherwise?: string;
}

/** What values a setting takes. Defaults are written as in a file: quantities with their unit. */
type Kind =
  | { readonly kind: 'switch'; readonly default?: boolean }
  | { readonly kind: 'count'; readonly least: number; readonly most?: number; readonly default?: number }
  | { readonly kind: 'fraction' | 'u32'; readonly default?: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly default?: string }
  | { readonly kind: 'hostPorts'; readonly least: number }
  | { readonly kind: 'emptyBlock'; readonly default?: object }
  | { readonly kind: keyof ValueOfText; readonly default?: string };

/** What a value is once it is read from a file: durations in milliseconds, sizes in bytes. */
interface ValueOfKind extends ValueOfText {
  switch: boolean;
  count: number;
  fraction: number;
  u32: number;
  choice: string;
  hostPorts: readonly string[];
  emptyBlock: object;
}

/** Of the kinds whose default is written as text. */
interface ValueOfText {
  text: string;
  oneLine: string;
  duration: number;
  /** A duration that is not 0. */
  interval: number;
  size: number;
  lineSize: number;
  answerSize: number;
  failureLimit: FailureLimit;
  fileMode: number;
  healthAddress: string;
  hostPort: string;
  keyHeader: string;
  outputPath: string;
  redisUrl: string;
  ulid: string;
  urls: readonly string[];
  variable: string;
  workerId: string;
}

type Chosen<S, Otherwise> = S extends { readonly kind: 'choice'; readonly choices: readonly (infer Choice)[] } ? Choice : Otherwise;

type ValueOf<S> =
  | Chosen<S, S extends { readonly kind: infer K extends keyof ValueOfKind } ? ValueOfKind[K] : never>
  | (S extends { readonly otherwise: string } ? null : never);

type BlockOf<Path> = Path extends `${infer Block}.${string}` ? Block : never;
type InBlock<Path, Block extends string> = Path extends `${Block}.${infer Name}` ? Name : never;

/** The settings of a table once they are read: `hints.file` is `file` in `hints`. */
export type Read<Table> = {
  readonly [Path in keyof Table as Path extends `${string}.${string}` ? never : Path]: ValueOf<Table[Path]>;
} & {
  readonly [Block in BlockOf<keyof Table>]: { readonly [Path in keyof Table as InBlock<Path, Block>]: ValueOf<Table[Path]> };
};

/** `waitBackend` of `--wait-backend <duration>`. */
type ArgumentOf<Flags> = Flags extends `--${infer Name} <${string}` ? Camel<Name> : Flags extends `--${infer Name}` ? Camel<Name> : never;
type Camel<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name & string;

/** What the command line hands over for a flag: quantities stay text, since the files of the processes have them with units as well. */
type GivenOf<S> = Chosen<
  S,
  S extends { readonly kind: infer K extends 'switch' | 'count' | 'fraction' | 'u32' | 'urls' } ? ValueOfKind[K] : string
>;

/** The arguments of `rollout run` that the flags of a table make; one without a default may be absent. */
export type Arguments<Table> = {
  readonly [Path in keyof Table as Table[Path] extends { readonly otherwise: string } ? never : ArgumentIn<Table[Path]>]: GivenOf<
    Table[Path]
  >;
} & {
  readonly [Path in keyof Table as Table[Path] extends { readonly otherwise: string } ? ArgumentIn<Table[Path]> : never]?: GivenOf<
    Table[Path]
  >;
};
type ArgumentIn<S> = S extends { readonly flags: infer Flags } ? ArgumentOf<Flags> : never;
