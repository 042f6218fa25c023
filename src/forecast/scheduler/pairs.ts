import type { Requirement } from '../../objects/selector.ts';
import { isAddedByController } from '../../objects/workload.ts';
import type { PodClass } from '../cluster.ts';

/** What there is to say of two classes of pods, by the one and by the other. */
export type Pairs<T> = readonly (readonly T[])[];

/** Compares pods of each two templates once, for as long as nobody asks for labels that controllers add to some of them. */
export function pairsOf<T>(
  classes: readonly PodClass[],
  asksForAdded: boolean,
  compare: (one: PodClass, other: PodClass) => T,
): Pairs<T> {
  if (asksForAdded) return classes.map((one) => classes.map((other) => compare(one, other)));
  const firsts = new Map(classes.toReversed().map((podClass) => [podClass.template, podClass]));
  const rows = new Map(
    [...firsts].map(([template, one]) => {
      const said = new Map([...firsts].map(([theirs, other]) => [theirs, compare(one, other)]));
      return [template, classes.map((other) => said.get(other.template) ?? compare(one, other))];
    }),
  );
  return classes.map(({ template }) => rows.get(template) ?? []);
}

interface AskingForLabels {
  readonly selector: readonly Requirement[] | undefined;
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** Whether what is asked for may tell pods of one template apart. */
export function asksForAdded(asked: readonly AskingForLabels[]): boolean {
  return asked.some(
    ({ selector = [], matchLabelKeys, mismatchLabelKeys = [] }) =>
      selector.some(({ key }) => isAddedByController(key)) ||
      matchLabelKeys.some(isAddedByController) ||
      mismatchLabelKeys.some(isAddedByController),
  );
}
