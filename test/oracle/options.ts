import { parseArgs } from 'node:util';
import { KINDS, type Kind, type Plan } from './plan.ts';

export interface Options {
  readonly seed: number;
  readonly count: number;
  readonly json: string | undefined;
  readonly kinds: readonly Kind[];
  readonly without: ReadonlySet<string>;
  /** Scenarios to run alone, by id. */
  readonly only: readonly string[];
  /** Scenarios to run as they are, whatever the generator makes by now. */
  readonly plans: readonly Plan[];
  /** Where a file for each disagreement goes. */
  readonly fixtures: string | undefined;
  readonly atOnce: number;
  /** Make each disagreement smaller before it is printed. */
  readonly shrink: boolean;
  /** Also play what a user is told to do where something is found. */
  readonly remedies: boolean;
  /** Only say what the scenarios would be of, and what is foretold for them. */
  readonly dry: boolean;
  /** A commit, against whose forecast this one is held, without a control plane. */
  readonly differential: string | undefined;
}

export const USAGE = `node test/oracle/oracle.ts [--seed N] [--count M] [--json FILE] [--kinds Deployment,StatefulSet,…]
    [--without cordon,taint-later,…] [--only SEED-INDEX,…] [--plan JSON]…
    [--fixtures FOLDER] [--at-once N] [--no-shrink] [--no-remedies] [--dry]
    [--differential REF]`;

export function optionsFrom(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '100' },
      json: { type: 'string' },
      kinds: { type: 'string', default: KINDS.join(',') },
      without: { type: 'string', default: '' },
      only: { type: 'string', default: '' },
      plan: { type: 'string', multiple: true, default: [] },
      fixtures: { type: 'string' },
      'at-once': { type: 'string', default: '40' },
      dry: { type: 'boolean', default: false },
      differential: { type: 'string' },
      'no-shrink': { type: 'boolean', default: false },
      'no-remedies': { type: 'boolean', default: false },
    },
  });
  return {
    seed: wholeNumber('--seed', values.seed),
    count: wholeNumber('--count', values.count),
    json: values.json,
    kinds: list(values.kinds).map(kindNamed),
    without: new Set(list(values.without)),
    only: list(values.only),
    plans: values.plan.map((plan) => JSON.parse(plan) as Plan),
    fixtures: values.fixtures,
    atOnce: wholeNumber('--at-once', values['at-once']),
    shrink: !values['no-shrink'],
    remedies: !values['no-remedies'],
    dry: values.dry,
    differential: values.differential,
  };
}

function list(text: string): readonly string[] {
  return text.split(',').filter((entry) => entry !== '');
}

function kindNamed(name: string): Kind {
  const kind = KINDS.find((candidate) => candidate === name);
  if (kind === undefined) throw new Error(`--kinds: ${name} is none of ${KINDS.join(', ')}\n${USAGE}`);
  return kind;
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${option}: ${text} is not a whole number\n${USAGE}`);
  return Number(text);
}
