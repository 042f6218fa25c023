import { h, type VNode } from 'preact';
import { drawPicture } from '../drawing/draw-picture.ts';
import type { Drawn } from '../drawing/drawn.ts';
import type { LinePicture } from '../report/html/page-data.ts';

interface StoryProps {
  readonly story: readonly string[];
  readonly pictures: readonly LinePicture[];
}

/** The lines of a story, with a picture below those after which something has changed. */
export function Story({ story, pictures }: StoryProps) {
  if (pictures.length === 0) return <ol class="story lines">{story.map(line)}</ol>;
  return (
    <div class="story">
      {pictures.map(({ after, picture }, index) => {
        const first = index === 0 ? 0 : (pictures[index - 1]?.after ?? -1) + 1;
        return (
          <figure key={after}>
            {drawing(drawPicture(picture))}
            <figcaption>
              <ol start={first + 1}>{story.slice(first, after + 1).map(line)}</ol>
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}

function line(text: string) {
  return <li key={text}>{text}</li>;
}

function drawing({ tag, attributes, children }: Drawn): VNode {
  return h(tag, attributes, ...children.map((child) => (typeof child === 'string' ? child : drawing(child))));
}
