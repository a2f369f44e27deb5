import { posix } from 'node:path';
import test from 'ava';
import { readSources, readText, type Source } from './sources.ts';

const pages: readonly Source[] = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'PROTOCOL.md'].map((path) => ({
    path,
    text: readText(path) ?? '',
  })),
  ...['docs', 'examples', 'runtime', 'test/cluster'].flatMap((folder) => readSources(folder, (path) => path.endsWith('.md'))),
];

interface Link {
  readonly from: string;
  readonly to: string;
  /** Of a heading; empty for the whole page. */
  readonly anchor: string;
}

const withoutCode = (text: string): string => text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');

function linksIn({ path, text }: Source): readonly Link[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#');
      return { from: path, to: file === '' ? path : posix.join(posix.dirname(path), file), anchor };
    });
}

/** As GitHub makes them of headings; the second of one text gets a number. */
function anchorsIn(text: string): ReadonlySet<string> {
  const found = new Map<string, number>();
  const headings = text.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) => {
      const plain = heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-');
      const before = found.get(plain) ?? 0;
      found.set(plain, before + 1);
      return before === 0 ? plain : `${plain}-${before}`;
    }),
  );
}

test('every link between pages leads to a file that is there, and to a heading that it has', (t) => {
  const links = pages.flatMap(linksIn);
  t.true(links.length >= 60, `only ${links.length} links were seen`);
  const broken = links.filter(({ to, anchor }) => {
    const text = readText(to);
    return text === undefined || (anchor !== '' && !anchorsIn(text).has(anchor));
  });
  t.deepEqual(
    broken.map(({ from, to, anchor }) => `${from}: ${to}${anchor === '' ? '' : `#${anchor}`}`),
    [],
  );
});
