import { parser } from '@prometheus-io/lezer-promql';
import type { Sample } from './samples.ts';

/** A metric that an expression names, with what it asks of the labels. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  readonly from: number;
}

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** Labels that an aggregation or a match goes by, and where its operands stand. */
interface Grouping {
  readonly labels: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** What is wrong with an expression, beside what promtool finds: whatever it names has to be exported by somebody. */
export function misnamed(
  expression: string,
  samples: readonly Sample[],
  targetLabels: readonly string[],
): readonly string[] {
  const { selectors, groupings, broken } = parsed(expression);
  if (broken) return ['cannot be parsed'];
  const nothing = selectors.filter((selector) => !samples.some((sample) => matches(selector, sample, targetLabels)));
  const strange = groupings.flatMap(({ labels, from, to }) => {
    const within = selectors.filter((selector) => selector.from >= from && selector.from < to);
    const known = within.flatMap(({ metric }) => samples.filter(({ name }) => name === metric));
    return labels.filter((label) => !targetLabels.includes(label) && !known.some((sample) => label in sample.labels));
  });
  return [
    ...nothing.map(({ metric, matchers }) => `${metric} with ${matchers.map(written)} selects nothing`),
    ...strange.map((label) => `nothing has the label ${label}`),
  ];
}

/** The labels that the result has for certain. */
export function labelsOfResult(expression: string, targetLabels: readonly string[]): readonly string[] {
  const { groupings } = parsed(expression);
  return groupings.length === 0 ? targetLabels : groupings.flatMap(({ labels }) => labels);
}

function parsed(expression: string) {
  const selectors: Selector[] = [];
  const groupings: Grouping[] = [];
  let broken = false;
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter({ node }) {
      broken ||= node.type.isError;
      if (node.name === 'VectorSelector') {
        const metric = node.getChild('Identifier');
        const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
        selectors.push({
          metric: metric === null ? '' : textOf(metric),
          matchers: matchers.map((matcher) => matcherIn(textOf(matcher))),
          from: node.from,
        });
      }
      if (node.name === 'GroupingLabels') {
        const { from, to } = node.parent?.parent ?? node;
        groupings.push({ labels: node.getChildren('LabelName').map(textOf), from, to });
      }
    },
  });
  return { selectors, groupings, broken };
}

function matcherIn(text: string): Matcher {
  const [, label = '', operator = '', value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text) ?? [];
  return { label, operator, value };
}

function matches({ metric, matchers }: Selector, { name, labels }: Sample, targetLabels: readonly string[]): boolean {
  return (
    name === metric &&
    matchers.every(({ label, operator, value }) => {
      const found = labels[label];
      if (found === undefined) return targetLabels.includes(label);
      const isMatch = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(found) : found === value;
      return isMatch !== operator.startsWith('!');
    })
  );
}

function written({ label, operator, value }: Matcher): string {
  return `${label}${operator}"${value}"`;
}
