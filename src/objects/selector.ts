import {
  type JsonObject,
  objectAt,
  objectsAt,
  stringAt,
  stringMapAt,
  stringsAt,
  UnreadableObjectError,
} from './json.ts';

export type Labels = ReadonlyMap<string, string>;

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const;

/** One requirement on a label; `Gt` and `Lt` occur on nodes only. */
export interface Requirement {
  readonly key: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly values: readonly string[];
}

/** A label selector: every requirement has to hold; none at all selects everything. */
export type LabelSelector = readonly Requirement[];

/** Alternatives are OR-ed; within one, every expression and field has to hold. */
export interface NodeSelectorTerm {
  readonly expressions: readonly Requirement[];
  /** `metadata.name` is the only field that the API server accepts. */
  readonly fields: readonly Requirement[];
}

export function requirementFrom(object: JsonObject): Requirement {
  const text = stringAt(object, 'operator');
  const operator = OPERATORS.find((candidate) => candidate === text);
  if (operator === undefined) throw new UnreadableObjectError('operator', `one of ${OPERATORS.join(', ')}`, text);
  return { key: stringAt(object, 'key') ?? '', operator, values: stringsAt(object, 'values') };
}

/** Absent selects nothing and is `undefined`; an empty selector selects everything. */
export function labelSelectorAt(object: JsonObject | undefined, key: string): LabelSelector | undefined {
  const selector = objectAt(object, key);
  if (selector === undefined) return undefined;
  const labels = [...stringMapAt(selector, 'matchLabels')].map(([label, value]) => isIn(label, value));
  return [...labels, ...objectsAt(selector, 'matchExpressions').map(requirementFrom)];
}

export function isIn(key: string, ...values: readonly string[]): Requirement {
  return { key, operator: 'In', values };
}

export function nodeSelectorTermFrom(object: JsonObject): NodeSelectorTerm {
  return {
    expressions: objectsAt(object, 'matchExpressions').map(requirementFrom),
    fields: objectsAt(object, 'matchFields').map(requirementFrom),
  };
}

export function matchesSelector(selector: LabelSelector, labels: Labels): boolean {
  return selector.every((requirement) => matchesRequirement(requirement, labels.get(requirement.key)));
}

/** `apimachinery/pkg/labels/selector.go:Requirement.Matches`: an absent label satisfies NotIn and DoesNotExist. */
export function matchesRequirement({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compared(value, values[0], (label, bound) => label > bound);
    case 'Lt':
      return compared(value, values[0], (label, bound) => label < bound);
    default:
      return operator satisfies never;
  }
}

function compared(
  value: string | undefined,
  bound: string | undefined,
  holds: (label: bigint, bound: bigint) => boolean,
): boolean {
  const [label, limit] = [int64From(value), int64From(bound)];
  return label !== undefined && limit !== undefined && holds(label, limit);
}

/** A sign and 19 digits. */
const LONGEST_INT64 = 20;

/** What Go's `strconv.ParseInt` takes; a number of more than 64 bits is none. */
export function int64From(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  // The API server does not care how many zeros come first, and parsing as many digits would take quadratic time.
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  if (digits.length > LONGEST_INT64) return undefined;
  const number = BigInt(digits);
  return BigInt.asIntN(64, number) === number ? number : undefined;
}
