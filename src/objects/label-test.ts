import { int64From, type Requirement } from './selector.ts';

/** All that is asked of one label together, so that thousands of requirements are compared with a value at once. */
export class LabelTest {
  readonly key: string;
  /** Whether the requirements ask only if the label is there, and not what it says. */
  readonly onlyPresence: boolean;
  /** The only values that may do; `undefined` where none are named. */
  readonly accepted: ReadonlySet<string> | undefined;
  readonly #refused = new Set<string>();
  readonly #isWanted: boolean;
  readonly #isUnwanted: boolean;
  #above: bigint | undefined;
  #below: bigint | undefined;
  #isUnreadable = false;

  constructor(key: string, requirements: readonly Requirement[]) {
    this.key = key;
    this.onlyPresence = requirements.every(({ operator }) => operator === 'Exists' || operator === 'DoesNotExist');
    this.#isWanted = requirements.some(({ operator }) => operator !== 'NotIn' && operator !== 'DoesNotExist');
    this.#isUnwanted = requirements.some(({ operator }) => operator === 'DoesNotExist');
    let accepted: ReadonlySet<string> | undefined;
    for (const { operator, values } of requirements) {
      if (operator === 'In') accepted = accepted === undefined ? new Set(values) : common(accepted, values);
      if (operator === 'NotIn') for (const value of values) this.#refused.add(value);
      if (operator === 'Gt' || operator === 'Lt') this.#bound(operator, int64From(values[0]));
    }
    this.accepted = accepted;
  }

  /** `apimachinery/pkg/labels/selector.go:Requirement.Matches`: an absent label satisfies NotIn and DoesNotExist. */
  holds(value: string | undefined): boolean {
    if (value === undefined) return !this.#isWanted;
    if (this.#isUnwanted || this.#refused.has(value) || this.accepted?.has(value) === false) return false;
    return this.#isBetween(value);
  }

  #bound(operator: 'Gt' | 'Lt', bound: bigint | undefined): void {
    if (bound === undefined) this.#isUnreadable = true;
    else if (operator === 'Gt') this.#above = this.#above === undefined || bound > this.#above ? bound : this.#above;
    else this.#below = this.#below === undefined || bound < this.#below ? bound : this.#below;
  }

  #isBetween(value: string): boolean {
    if (this.#isUnreadable) return false;
    if (this.#above === undefined && this.#below === undefined) return true;
    const number = int64From(value);
    if (number === undefined) return false;
    return (this.#above === undefined || number > this.#above) && (this.#below === undefined || number < this.#below);
  }
}

/** One test for each label that is asked about, in the order in which they are named first. */
export function labelTests(requirements: readonly Requirement[]): readonly LabelTest[] {
  const [only, ...others] = requirements;
  if (only === undefined) return [];
  if (others.length === 0) return [new LabelTest(only.key, requirements)];
  return [...Map.groupBy(requirements, ({ key }) => key)].map(([key, asked]) => new LabelTest(key, asked));
}

function common(accepted: ReadonlySet<string>, values: readonly string[]): ReadonlySet<string> {
  return new Set(values.filter((value) => accepted.has(value)));
}
