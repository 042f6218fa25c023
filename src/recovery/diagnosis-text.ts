import { keyOf } from '../objects/object-key.ts';
import { oneLine } from '../one-line.ts';
import { CASES, type Diagnosis } from './diagnosis.ts';

/** A diagnosis for people. */
export function diagnosisText({ claim, case: id, certain, likely, unseen, safety }: Diagnosis): string {
  const lines = [
    `${keyOf(claim.namespace, claim.name)}: ${CASES[id]} [${id}]`,
    ...certain.map((line) => `  certain: ${line}`),
    ...likely.map((line) => `  likely:  ${line}`),
    ...unseen.map((line) => `  unseen:  ${line}`),
    `  ${SAFETY[safety.is]} ${safety.because}`,
    ...(safety.wouldBe === '' ? [] : [`  first:   ${safety.wouldBe}`]),
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

const SAFETY = {
  safe: 'safe:   ',
  unsafe: 'UNSAFE: ',
  'by itself': 'wait:   ',
  'nothing to do': 'nothing to do:',
} as const;
