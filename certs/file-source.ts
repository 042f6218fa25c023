import { readFile } from 'node:fs/promises';
import type { Pair } from './authority.ts';
import { readConfigurations } from './ca-injection.ts';
import { CertificatesError } from './certificates-error.ts';
import type { FileOptions } from './options.ts';
import { type PairProblem, pairProblem, servingCertificate } from './pair.ts';
import { type Look, PolledSource } from './polled-source.ts';
import { isTwoThirdsOver } from './renewal.ts';
import type { CertificateSource } from './source.ts';
import { realWorld } from './world.ts';
import { certificatesIn } from './x509.ts';

/**
 * Serves a mounted pair. The files are read rather than watched: the kubelet swaps a symbolic link above them, which a watch
 * on the files does not see, and a pair read in the middle of that does not fit and is read again.
 */
export function fileSource(options: FileOptions): CertificateSource {
  const { log, world = realWorld } = options;
  return new PolledSource(() => look(options, world.now()), log, world);
}

async function look(options: FileOptions, now: Date): Promise<Look> {
  const { callers } = options;
  const readings = callers ? await readConfigurations(callers.api, callers.configurations) : [];
  try {
    const [certificate, key, authorities] = await Promise.all([
      read(options.certificateFile),
      read(options.keyFile),
      options.authoritiesFile === undefined ? '' : read(options.authoritiesFile),
    ]);
    const pair = { certificate, key };
    const problem = pairProblem(pair, options.names, now);
    if (problem !== undefined) throw unusable(options, problem);
    return { certificate: servingCertificate(pair, authorities), readings, failures: overdue(options, pair, now) };
  } catch (failure) {
    if (!(failure instanceof CertificatesError)) throw failure;
    return { certificate: undefined, readings, failures: [failure] };
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const message = `cannot read ${file}: check that it is mounted and that the server's user may read it`;
    throw new CertificatesError('FILE_UNREADABLE', message, { cause });
  }
}

const REMEDY: Readonly<Record<PairProblem, string>> = {
  'certificate-unreadable': 'it has to be PEM, the certificate before its intermediates',
  'key-unreadable': 'the key has to be PEM, without a passphrase',
  'key-mismatch': 'the key has to be the one that the certificate was made for',
  'wrong-names': 'issue it for the names that callers use',
  'not-yet-valid': 'check the clock of this node',
  expired: 'renew it',
};

function unusable({ certificateFile, names }: FileOptions, problem: PairProblem): CertificatesError {
  const message = `the certificate in ${certificateFile} cannot be served for ${names.join(', ')} (${problem}): ${REMEDY[problem]}`;
  return new CertificatesError('PAIR_UNUSABLE', message);
}

/** Whoever mounts it should have renewed it by now. It is served all the same. */
function overdue({ certificateFile }: FileOptions, { certificate }: Pair, now: Date): readonly CertificatesError[] {
  const [leaf] = certificatesIn(certificate);
  if (leaf === undefined || !isTwoThirdsOver(leaf.validFromDate, leaf.validToDate, now)) return [];
  const until = leaf.validToDate.toISOString();
  return [
    new CertificatesError(
      'RENEWAL_OVERDUE',
      `the certificate in ${certificateFile} is valid until ${until} only: renew it`,
    ),
  ];
}
