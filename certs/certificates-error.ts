export type CertificatesErrorCode =
  | 'API_REFUSED'
  | 'API_FAILED'
  | 'ISSUED_UNUSABLE'
  | 'NOTHING_TO_ROTATE'
  | 'CLOCK_WRONG'
  | 'NOT_READY'
  | 'FILE_UNREADABLE'
  | 'RENEWAL_OVERDUE'
  | 'PAIR_UNUSABLE';

/** Something about certificates went wrong. The message says what to do next; the polling goes on all the same. */
export class CertificatesError extends Error {
  readonly code: CertificatesErrorCode;

  constructor(code: CertificatesErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CertificatesError';
    this.code = code;
  }
}
