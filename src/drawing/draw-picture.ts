import type { Picture, PicturePod } from '../stories/picture.ts';
import { type Drawn, drawn, fitted } from './drawn.ts';
import { inWords, stateInWords, waitedForBy } from './picture-in-words.ts';

/** As wide as a phone shows without making letters smaller than those of a footnote. */
const WIDTH = 360;

const MARGIN = 10;
/** Above the first row of a lane, for the name of its node. */
const HEADING = 26;
const ROW = 44;
const BOX = 36;
const BETWEEN_LANES = 10;

const POD = { left: MARGIN + 10, width: 186 };
const VOLUME = { left: WIDTH - MARGIN - 10 - 108, width: 108 };

/** Letters of 12 and 11 pixels, of a font in which all are as wide, beside what else is in the box. */
const LETTERS_OF_A_POD = 21;
const LETTERS_OF_A_VOLUME = 13;
const LETTERS_OF_A_NODE = 42;

/** A node with what is there, or what is on no node. */
interface Lane {
  readonly name: string;
  readonly isNode: boolean;
  readonly top: number;
  readonly height: number;
  readonly pods: readonly PicturePod[];
  /** By index in the picture's volumes. */
  readonly volumes: readonly number[];
}

/**
 * Draws the nodes below each other, pods at the left and volumes at the right, and a line from each pod to what it has or
 * waits for. It has classes and no colours, which a style sheet gives; its words are in its label.
 */
export function drawPicture(picture: Picture): Drawn {
  const lanes = lanesOf(picture);
  const last = lanes.at(-1);
  const height = last === undefined ? ROW : last.top + last.height + 1;
  const links = lanes.flatMap((lane) =>
    lane.pods.flatMap((pod, row) => linksOf(pod, centre(lane, row), picture, lanes)),
  );
  return drawn(
    'svg',
    { class: 'picture', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': inWords(picture) },
    ...lanes.map(frameOf),
    ...links,
    ...lanes.flatMap((lane) => lane.pods.map((pod, row) => podAt(pod, rowTop(lane, row), picture))),
    ...lanes.flatMap((lane) => lane.volumes.map((volume, row) => volumeAt(picture, volume, rowTop(lane, row)))),
  );
}

function lanesOf({ nodes, pods, volumes }: Picture): readonly Lane[] {
  const lanes: Lane[] = [];
  let top = 1;
  const add = (name: string, node: number | undefined): void => {
    const there = {
      pods: pods.filter((pod) => pod.node === node),
      volumes: volumes.flatMap((volume, index) => (volume.node === node ? [index] : [])),
    };
    const rows = Math.max(there.pods.length, there.volumes.length);
    if (node === undefined && rows === 0) return;
    const height = HEADING + rows * ROW + (rows === 0 ? 4 : 2);
    lanes.push({ name, isNode: node !== undefined, top, height, ...there });
    top += height + BETWEEN_LANES;
  };
  for (const [node, name] of nodes.entries()) add(name, node);
  add('on no node', undefined);
  return lanes;
}

function rowTop({ top }: Lane, row: number): number {
  return top + HEADING + row * ROW;
}

function centre(lane: Lane, row: number): number {
  return rowTop(lane, row) + BOX / 2;
}

function frameOf({ name, isNode, top, height }: Lane): Drawn {
  const [x, y] = [MARGIN - 9, top];
  return drawn(
    'g',
    { class: isNode ? 'node' : 'node none' },
    drawn('rect', { x, y, width: WIDTH - 2, height, rx: 8 }),
    drawn('text', { x: MARGIN + 2, y: top + 18, class: 'name' }, fitted(name, LETTERS_OF_A_NODE)),
    drawn('title', {}, name),
  );
}

function podAt(pod: PicturePod, top: number, picture: Picture): Drawn {
  const { name, state } = pod;
  const waits = waitedForBy(pod, picture).length > 0;
  const { left, width } = POD;
  return drawn(
    'g',
    { class: `pod ${waits ? 'waits' : state}` },
    drawn('title', {}, `${name}: ${stateInWords(pod, picture)}`),
    drawn('rect', { x: left, y: top, width, height: BOX, rx: 7 }),
    drawn('circle', { cx: left + 14, cy: top + BOX / 2, r: 5 }),
    drawn('text', { x: left + 28, y: top + 15, class: 'name' }, fitted(name, LETTERS_OF_A_POD)),
    drawn(
      'text',
      { x: left + 28, y: top + 29, class: 'state' },
      fitted(stateInWords(pod, picture), LETTERS_OF_A_POD + 4),
    ),
  );
}

/** A cylinder, as disks are drawn. */
function volumeAt({ volumes }: Picture, index: number, top: number): Drawn {
  const name = volumes[index]?.name ?? '';
  const { left, width } = VOLUME;
  const [right, bottom, round] = [left + width, top + BOX - 5, 5];
  const rim = (y: number, sweep: number): string => `A${width / 2} ${round} 0 0 ${sweep} ${right} ${y}`;
  const body = `M${left} ${top + 5}${rim(top + 5, 1)}V${bottom}A${width / 2} ${round} 0 0 1 ${left} ${bottom}Z`;
  return drawn(
    'g',
    { class: 'volume' },
    drawn('title', {}, `volume of claim ${name}`),
    drawn('path', { d: body }),
    drawn('path', { class: 'rim', d: `M${left} ${top + 5}${rim(top + 5, 0)}` }),
    drawn('text', { x: left + width / 2, y: top + 25, class: 'name' }, fitted(name, LETTERS_OF_A_VOLUME)),
  );
}

/** Lines to the volumes that a pod has on its node, and to those for which it waits, with a cross. */
function linksOf(pod: PicturePod, y: number, picture: Picture, lanes: readonly Lane[]): readonly Drawn[] {
  const waited = waitedForBy(pod, picture);
  return pod.volumes.flatMap((volume) => {
    const lane = lanes.find(({ volumes }) => volumes.includes(volume));
    const isHere = pod.node !== undefined && picture.volumes[volume]?.node === pod.node;
    if (lane === undefined || (!isHere && !waited.includes(volume))) return [];
    const [from, to] = [POD.left + POD.width, VOLUME.left];
    const target = centre(lane, lane.volumes.indexOf(volume));
    const middle = (from + to) / 2;
    const path = drawn('path', { d: `M${from} ${y}C${middle} ${y} ${middle} ${target} ${to} ${target}` });
    if (isHere) return [drawn('g', { class: 'link' }, path)];
    const at = (y + target) / 2;
    const cross = `M${middle - 5} ${at - 5}l10 10m0 -10l-10 10`;
    return [drawn('g', { class: 'link waits' }, path, drawn('path', { class: 'cross', d: cross }))];
  });
}
