import type { CertificateStatus } from '../../certs/index.ts';
import { printedJson } from '../report/printed-json.ts';

/** What `certs status` prints, by the name of its format. */
export const CERTS_FORMATS: ReadonlyMap<string, (status: CertificateStatus) => string> = new Map([
  ['text', asText],
  ['json', asJson],
]);

function asJson(status: CertificateStatus): string {
  return printedJson({ good: status.problems.length === 0, ...status });
}

/** One thing a line, with what it is about in front. */
function asText({ certificate, authorities, rotation, caBundles, problems }: CertificateStatus): string {
  const rows = [
    ...(certificate
      ? [['certificate', `valid until ${certificate.notAfter.toISOString()}, for ${certificate.names.join(', ')}`]]
      : []),
    ...authorities.map(({ fingerprint, role, notAfter }) => [
      'CA',
      `${ROLE[role]}, valid until ${notAfter.toISOString()}, ${fingerprint.slice(0, 16)}`,
    ]),
    ['rotation', ROTATION[rotation]],
    ...caBundles.map(({ entry, agrees }) => ['caBundle', `${entry} ${agreement(agrees)}`]),
    ...problems.map((problem) => ['problem', problem]),
  ];
  return rows.map(([about = '', what]) => `${about.padEnd(11)}  ${what}\n`).join('');
}

function agreement(agrees: boolean | undefined): string {
  if (agrees === undefined) return 'cannot be told: there is no certificate to compare it with';
  return agrees ? 'agrees' : 'does not agree';
}

const ROLE = { signs: 'signs', next: 'signs next', trusted: 'is trusted' } as const;

const ROTATION = {
  none: 'none under way',
  'asked-for': 'asked for; a server begins it within seconds',
  'waiting-for-trust': 'a new CA signs once callers have trusted it for a minute',
  'waiting-for-replicas': 'the old CA is trusted until every replica serves by the new one',
} as const;
