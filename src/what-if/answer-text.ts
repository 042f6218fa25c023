import type { AddedNode } from './add-node.ts';
import type { Affected, Answer, Outcome, Step } from './answer.ts';

/** A line of text, and whether it is indented. */
export type Line = readonly [indent: number, text: string];

const IN_WORDS: Readonly<Record<Outcome, string>> = {
  cannot: 'cannot come up',
  hangs: 'hangs',
  blocked: 'blocks the drain',
  open: 'is not known',
  lost: 'is not made again',
  'comes-up': 'comes up',
  stays: 'stays',
};

/** Whose story is told: the rest is as it should be. */
const TOLD: readonly Outcome[] = ['cannot', 'hangs', 'blocked', 'open', 'comes-up'];

/** A table of everything that is on the nodes, then how it comes about, once for those of which it is the same, and what to know. */
export function answerText({ event, affected, notes }: Answer): readonly Line[] {
  const count = (outcome: Outcome): number => affected.filter((one) => one.outcome === outcome).length;
  const sum = (['cannot', 'hangs', 'blocked', 'open', 'lost', 'comes-up'] as const).flatMap((outcome) =>
    count(outcome) === 0 ? [] : [`${count(outcome)} ${count(outcome) === 1 ? IN_WORDS[outcome] : SEVERAL[outcome]}`],
  );
  return [
    [0, `if ${event}: ${sum.length === 0 ? 'nothing runs there that has to come up elsewhere' : sum.join(', ')}`],
    ...table(affected.map(rowOf)).map((row): Line => [2, row]),
    ...stories(affected),
    [0, ''],
    ...notes.map((note): Line => [0, note]),
  ];
}

const SEVERAL: Readonly<Record<Outcome, string>> = {
  cannot: 'cannot come up',
  hangs: 'hang',
  blocked: 'block the drain',
  open: 'are not known',
  lost: 'are not made again',
  'comes-up': 'come up',
  stays: 'stay',
};

const COLUMNS = ['outcome', 'after', 'pods', 'object', 'because'] as const;

function rowOf(one: Affected): readonly string[] {
  const { resource, pods, outcome, mayComeUp, because } = one;
  const { kind, namespace, name } = resource;
  return [
    `${mayComeUp ? 'may be: ' : ''}${IN_WORDS[outcome]}`,
    afterOf(one),
    String(pods.length),
    `${kind} ${namespace}/${name}`,
    because,
  ];
}

function afterOf({ outcome, withinSeconds }: Affected): string {
  if (withinSeconds !== undefined) return duration(withinSeconds);
  return outcome === 'stays' || outcome === 'open' ? '-' : 'never';
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const all = [COLUMNS, ...rows];
  const widths = COLUMNS.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const last = COLUMNS.length - 1;
  return all.map((row) =>
    row.map((cell, column) => (column === last ? cell : cell.padEnd(widths[column] ?? 0))).join('  '),
  );
}

/** How many objects of one story are named. */
const MOST_NAMED = 4;

function stories(affected: readonly Affected[]): readonly Line[] {
  const told = affected.filter(({ outcome, story }) => TOLD.includes(outcome) && story.length > 0);
  const byStory = Map.groupBy(told, ({ story }) => JSON.stringify(story));
  return [...byStory.values()].flatMap((same): readonly Line[] => {
    const names = same.map(({ resource: { kind, namespace, name } }) => `${kind} ${namespace}/${name}`);
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    const steps = same[0]?.story ?? [];
    return [
      [0, ''],
      [0, `${names.slice(0, MOST_NAMED).join(', ')}${more}`],
      ...steps.map((one): Line => [2, `${momentOf(one).padEnd(WIDEST)}  ${one.says}`]),
    ];
  });
}

const WIDEST = '5 min 50 s to 6 min'.length;

function momentOf({ from, to }: Step): string {
  if (from === undefined) return '';
  return to === undefined ? duration(from) : `${duration(from)} to ${duration(to)}`;
}

/** `350` as `5 min 50 s`. */
export function duration(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes === 0) return `${rest} s`;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}

/** What one node more arms. */
export function addedNodeText({ armed, models, workloads, notes }: AddedNode): readonly Line[] {
  const like = models.length === 1 ? `like ${models[0] ?? ''}` : 'like one of the others';
  const said =
    armed.length === 0 ? 'nothing becomes possible that is not possible now' : `${armed.length} more can go wrong`;
  return [
    [0, `if a node ${like} joins: ${said}, of ${workloads} workloads with volumes`],
    ...armed.flatMap(({ finding: { rule, severity, object, reason, fix }, like: where }): readonly Line[] => [
      [2, `${severity}  ${rule.id}  ${object.kind} ${object.namespace}/${object.name}`],
      [8, `${reason}${models.length > 1 ? ` (a node like ${where.join(' or ')})` : ''}`],
      [8, `fix  ${fix.written}`],
    ]),
    ...notes.map((note): Line => [0, note]),
  ];
}
