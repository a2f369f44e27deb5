import type { FormProblem } from './file-encoding.ts';

/** Where an input comes from, for messages. */
export type Source =
  | { readonly kind: 'file'; readonly path: string }
  /** Its contents are what is wrong. */
  | { readonly kind: 'gzip'; readonly path: string }
  | { readonly kind: 'stream'; readonly name: string };

/** One message for a file that is no list of lines: the cause, and the command that mends it. Pure. */
export function formText({ what, wayOut }: FormProblem, source: Source): string {
  const name = source.kind === 'stream' ? source.name : source.path;
  const way = wayOut.kind === 'advice' ? wayOut.advice : commandText(wayOut.command, source);
  return `the input ${name} ${what}: ${way}. Nothing was executed`;
}

/** `{}` in a command stands for the file. */
function commandText(command: string, source: Source): string {
  const filter = command.replace(/ (?:< )?\{\}$/, '');
  if (source.kind === 'stream') return `pipe it through \`${filter}\` first`;
  const target = shellWord(targetOf(source.path));
  const convert = source.kind === 'gzip' ? `gzip -dc ${shellWord(source.path)} | ${filter}` : command.replace('{}', shellWord(source.path));
  return `convert it with \`${convert} > ${target}\`, and give ${target} instead`;
}

function targetOf(path: string): string {
  const base = path.replace(/\.(?:gz|zst|bz2|xz|lz4|zip|7z|tar)$/, '').replace(/\.(?:jsonl|ndjson|json|txt)$/, '');
  return `${base}.jsonl` === path ? `${base}.lines.jsonl` : `${base}.jsonl`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
