import { gzipSync } from 'node:zlib';
import { type Random, randomForScenario } from '../oracle/random.ts';
import type { Legal } from './legal.ts';
import { mutated } from './mutate.ts';
import { longText, raw } from './values.ts';

/** One request as it goes over the wire, and what has to hold of its answer. */
export interface HostileRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** In pieces, without a length that is said beforehand. */
  readonly chunked: boolean;
  /** What the answer has to carry, if the body is an AdmissionReview at all. */
  readonly uid: unknown;
  /** Bytes that are sent as they are in place of all that, of which nothing but a refusal is expected. */
  readonly wire?: Buffer;
  /** Whether it is nothing but a hazard that is legal, which has to be denied. */
  readonly hazard: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Every so many requests one is a hazard, so that nothing that was sent between opens the door. */
const HAZARD_EVERY = 500;

/** The same for the same seed and index, whatever came before. */
export function hostileRequest({ reviews, hazard }: Legal, seed: number, index: number): HostileRequest {
  if (index % HAZARD_EVERY === 0) {
    const { uid } = JSON.parse(hazard).request;
    return { ...plain('/validate?timeout=3s', hazard, uid), hazard: true };
  }
  const random = randomForScenario(seed, index);
  const door = random.pick(['/validate', '/mutate']);
  const path = `${door}?timeout=${random.weighted([
    ['3s', 20],
    ['30s', 1],
    ['', 1],
    ['x', 1],
    ['1e9s', 1],
    ['-1s', 1],
  ])}`;
  const text = random.pick(reviews);
  return random.weighted<() => HostileRequest>([
    [() => changed(path, text, random), 900],
    [() => plain(path, text, JSON.parse(text).request.uid), 30],
    [() => broken(path, text, random), 30],
    [() => mislabelled(path, text, random), 30],
    [() => outOfProtocol(path, text, random), 3],
  ])();
}

function plain(path: string, text: string, uid: unknown): HostileRequest {
  return { path, headers: JSON_TYPE, body: Buffer.from(text), chunked: false, uid, hazard: false };
}

/** Somewhat more than the server reads. */
const MOST_SENT = 9_000_000;

/** Legal JSON of a review that no API server sends. */
function changed(path: string, legal: string, random: Random): HostileRequest {
  const writer = raw();
  const review = mutated(legal, random, writer);
  const written = writer.written(review);
  const text = twice(written, random);
  const uid = text === written ? review?.request?.uid : uidIn(Buffer.from(text));
  const whole = plain(path, text, uid);
  const body = whole.body.subarray(0, MOST_SENT); // several changes may have multiplied what is long
  return { ...whole, body, uid: body.length < whole.body.length ? undefined : whole.uid, chunked: random.chance(0.05) };
}

/** Sometimes a key stands twice in an object, and then the last one counts. */
function twice(text: string, random: Random): string {
  if (random.chance(0.95)) return text;
  const before = random.pick(['"request":{', '"object":{', '"metadata":{', '"spec":{']);
  const first = random.pick(['"uid":"other",', '"spec":5,', '"name":"x","name":{},', '"replicas":-1,', '"":0,"":0,']);
  return text.replace(before, () => before + first);
}

/** What is no JSON, or not the JSON of an object. */
function broken(path: string, text: string, random: Random): HostileRequest {
  const bytes = Buffer.from(text);
  const cut = random.between(0, bytes.length);
  const body = random.weighted<() => Buffer>([
    [() => bytes.subarray(0, cut), 4],
    [() => Buffer.concat([bytes, Buffer.from(random.pick(['}', 'x', '\u0000', '{}', ' \n', '//', '\ufeff']))]), 2],
    [() => Buffer.concat([Buffer.from(random.pick(['\ufeff', ' ', ")]}'", '\u0000'])), bytes]), 1],
    [() => Buffer.concat([bytes.subarray(0, cut), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), bytes.subarray(cut)]), 2],
    [
      () =>
        Buffer.from(
          random.pick(['', ' ', 'null', 'true', '5', '"x"', '[]', '{}', '[[]]', 'NaN', '{"a":1,}', "{'a':1}"]),
        ),
      3,
    ],
    [() => Buffer.from('['.repeat(random.between(1, 100_000))), 1],
    [() => Buffer.from(text.replace(/"[a-z]+":/, '$&undefined')), 1],
    [() => Buffer.from(longText(random)), 1],
  ])();
  return { ...plain(path, '', undefined), body, chunked: random.chance(0.2), uid: uidIn(body) };
}

function uidIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString().replace(/^\ufeff/, ''))?.request?.uid; // Fastify leaves a mark of the byte order out
  } catch {
    return undefined;
  }
}

/** A body that is in order, under headers that say something else. */
function mislabelled(path: string, text: string, random: Random): HostileRequest {
  const { uid } = JSON.parse(text).request;
  const type = random.pick([
    ...[
      'text/plain',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
      'multipart/form-data; boundary=x',
      '*/*',
    ],
    ...[
      'application/json; charset=utf-16',
      'APPLICATION/JSON',
      'application/json;',
      'application/jsonx',
      ';',
      'a'.repeat(4_000),
    ],
  ]);
  const body = Buffer.from(text);
  return random.pick<() => HostileRequest>([
    () => ({ ...plain(path, text, uid), headers: { 'content-type': type } }),
    () => ({ ...plain(path, text, uid), headers: {} }),
    () => ({
      ...plain(path, text, uid),
      headers: { ...JSON_TYPE, 'content-encoding': random.pick(['gzip', 'br', 'x']) },
    }),
    () => ({ ...plain(path, text, uid), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: gzipSync(body) }),
    () => ({
      ...plain(
        random.pick(['/', '/validate/', '//validate', '/Validate', '/mutate/%2e%2e', '/metrics', '/%ff']),
        text,
        uid,
      ),
    }),
    () => ({
      ...plain(path, text, uid),
      headers: { ...JSON_TYPE, 'x-filler': 'a'.repeat(random.pick([100, 10_000, 20_000])) },
    }),
  ])();
}

/** What is no HTTP, or lies about itself. */
function outOfProtocol(path: string, text: string, random: Random): HostileRequest {
  const body = Buffer.from(text);
  const head = (lines: readonly string[]): string =>
    [`POST ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
  const type = 'Content-Type: application/json';
  const wire = random.pick<() => string>([
    () => head([type, `Content-Length: ${body.length - 5}`]) + text,
    () => head([type, `Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`]) + text,
    () => head([type, 'Content-Length: -1']) + text,
    () => head([type, 'Content-Length: 99999999999999999999']) + text,
    () => head([type, 'Content-Length: 900000000']) + text.slice(0, 100),
    () => `${head([type, 'Transfer-Encoding: chunked'])}zz\r\n${text}\r\n0\r\n\r\n`,
    () => `${head([type, 'Transfer-Encoding: chunked', `Content-Length: ${body.length}`])}5\r\n{"a":\r\n0\r\n\r\n`,
    () => `${head([type, 'Transfer-Encoding: chunked'])}5\r\n{"a":\r\n0\r\n\r\nGARBAGE\r\n\r\n`,
    () => `${head([type, 'Content-Length: 2'])}{}GET / HTTP/1.1\r\n\r\n`,
    () => head([type, 'Expect: 100-continue', `Content-Length: ${body.length}`]) + text,
    () => head([type, 'Expect: miracles', `Content-Length: ${body.length}`]) + text,
    () => `BREW ${path} HTTP/1.1\r\n\r\n`,
    () => `POST ${path} HTTP/9.9\r\n\r\n`,
    () => `POST ${path}\r\n\r\n`,
    () => `${'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20)}`,
    () => head([type, 'Upgrade: h2c', 'Connection: Upgrade', 'Content-Length: 0']),
    () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
    () => head(['A: \u0001', 'Content-Length: 0']),
    () => head(Array.from({ length: 3_000 }, (_, n) => `X-${n}: y`)),
    () => '\u0000'.repeat(random.between(1, 5_000)),
  ])();
  return { ...plain(path, '', undefined), wire: Buffer.from(wire, 'latin1') };
}
