import test from 'ava';
import { createMetrics } from '../../operator/kube/metrics.ts';
import { RunMetrics } from '../../operator/metrics/run-metrics.ts';
import { COORDINATOR_METRICS } from '../../runtime/coordinator/server/metrics-text.ts';
import { readText } from './sources.ts';

interface Described {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** Rows of the tables of metrics: | `name` | type | labels | … | */
function documented(): readonly Described[] {
  const rows = (readText('docs/metrics.md') ?? '').matchAll(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \| ([a-z, ]*)\| .+ \|$/gm);
  return [...rows].map(([, name = '', type = '', labels = '']) => ({ name, type, labels: wordsOf(labels) }));
}

function wordsOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** As the operator registers them. */
function ofOperator(): readonly Described[] {
  const { registry, ...metrics } = createMetrics('rollout');
  new RunMetrics(registry, '0');
  metrics.queue('q');
  metrics.controller('c', 1);
  metrics.reflector('k');
  metrics.elector('l');
  metrics.answered('h');
  const all = registry.getMetricsAsArray() as unknown as readonly {
    readonly name: string;
    readonly type: string;
    readonly labelNames: readonly string[];
  }[];
  return all.map(({ name, type, labelNames }) => ({ name, type, labels: labelNames }));
}

function ofCoordinators(): readonly Described[] {
  return COORDINATOR_METRICS.map(({ name, type, label }) => ({ name, type, labels: label === null ? [] : [label] }));
}

const inCode = [...ofOperator(), ...ofCoordinators()];
const byName = (all: readonly Described[]): readonly Described[] => all.toSorted((one, other) => (one.name < other.name ? -1 : 1));

test('docs/metrics.md lists every metric with its type and labels, and no other', (t) => {
  t.true(inCode.length >= 40, `only ${inCode.length} metrics were seen`);
  t.deepEqual(byName(documented()), byName(inCode));
});

/** What stands in an expression of PromQL with the beginning of one of our names, without the suffixes of a histogram. */
function metricsIn(text: string): readonly string[] {
  const names = text.matchAll(/\b((?:rollout|controller_runtime|workqueue|leader_election|rest_client)_[a-z_]+)/g);
  return [...new Set([...names].map(([, name = '']) => name.replace(/_(?:bucket|sum|count)$/, '')))];
}

for (const path of ['charts/rollout/templates/prometheusrule.yaml', 'charts/rollout/files/dashboard.json']) {
  test(`${path} asks for metrics that there are`, (t) => {
    const asked = metricsIn(readText(path) ?? '');
    t.true(asked.length >= 4, `only ${asked.join(', ')} were seen`);
    t.deepEqual(
      asked.filter((name) => !inCode.some((one) => one.name === name)),
      [],
    );
  });

  test(`${path} names no label that a metric does not have`, (t) => {
    const text = (readText(path) ?? '').replaceAll('\\"', '"');
    const selectors = [...text.matchAll(/\b([a-z_]+)\{([^{}]*(?:\{\{[^}]*\}\}[^{}]*)*)\}/g)];
    t.true(selectors.length >= 4);
    for (const [, metric = '', labels = ''] of selectors) {
      const known = inCode.find(({ name }) => name === metric.replace(/_(?:bucket|sum|count)$/, ''));
      if (known === undefined) continue;
      for (const [, label = ''] of labels.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g))
        t.true(label === 'job' || known.labels.includes(label), `${metric} has no label ${label}`);
    }
  });
}
