import { readFile } from 'node:fs/promises';
import type { Pair } from './authority.ts';
import { readConfigurations } from './ca-injection.ts';
import { CertificatesError } from './certificates-error.ts';
import type { FileOptions } from './options.ts';
import { PolledSource, type PollResult } from './polled-source.ts';
import { isTwoThirdsOver } from './renewal.ts';
import type { CertificateSource } from './source.ts';
import { atServerTime, clockFailures, realWorld, type World } from './world.ts';
import { certificatesIn, type PairProblem, pairProblem, servingCertificate } from './x509.ts';

/**
 * Serves a mounted pair. The files are read rather than watched: the kubelet swaps a symbolic link above them, which a watch
 * on the files does not see, and a pair read in the middle of that does not fit and is read again.
 */
export function fileSource(options: FileOptions): CertificateSource {
  const { log, callers } = options;
  const own = options.world ?? realWorld;
  const world = callers ? atServerTime(own, callers.api) : own;
  return new PolledSource(() => look(options, world), log, world);
}

async function look(options: FileOptions, world: World): Promise<PollResult> {
  const { callers } = options;
  const readings = callers ? await readConfigurations(callers.api, callers.configurations) : [];
  const now = world.now();
  try {
    const { pair, authorities } = await readMounted(options);
    const problem = pairProblem(pair, options.names, now);
    if (problem !== undefined) throw unusable(options, problem);
    return {
      certificate: servingCertificate(pair, authorities),
      readings,
      failures: [...overdue(options, pair, now), ...(callers ? clockFailures(callers.api) : [])],
    };
  } catch (failure) {
    if (!(failure instanceof CertificatesError)) throw failure;
    return { certificate: undefined, readings, failures: [failure] };
  }
}

/** What is mounted now, not checked yet; rejects with a CertificatesError. Issuers that clients know already leave `ca.crt` out. */
export async function readMounted(
  options: Pick<FileOptions, 'certificateFile' | 'keyFile' | 'authoritiesFile'>,
): Promise<{ readonly pair: Pair; readonly authorities: string }> {
  const { certificateFile, keyFile, authoritiesFile } = options;
  const [certificate, key, authorities] = await Promise.all([
    read(certificateFile),
    read(keyFile),
    authoritiesFile === undefined ? '' : read(authoritiesFile, ''),
  ]);
  return { pair: { certificate, key }, authorities };
}

async function read(file: string, whereMissing?: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (isMissing && whereMissing !== undefined) return whereMissing;
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

/** What is mounted cannot be served; the message says what to do about it. */
export function unusable(
  { certificateFile, names }: Pick<FileOptions, 'certificateFile' | 'names'>,
  problem: PairProblem,
): CertificatesError {
  const message = `the certificate in ${certificateFile} cannot be served for ${names.join(', ')} (${problem}): ${REMEDY[problem]}`;
  return new CertificatesError('PAIR_UNUSABLE', message);
}

/** Whoever mounts it should have renewed it by now. It is served all the same. */
export function overdue(
  { certificateFile }: Pick<FileOptions, 'certificateFile'>,
  { certificate }: Pair,
  now: Date,
): readonly CertificatesError[] {
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
