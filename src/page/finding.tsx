import type { PageFinding, PageRule } from '../report/html/page-data.ts';
import { Copied } from './copied.tsx';
import { Story } from './story.tsx';

interface FindingProps {
  readonly finding: PageFinding;
  readonly rules: Readonly<Record<string, PageRule>>;
  readonly isOpen: boolean;
  readonly toggled: (isOpen: boolean) => void;
}

/** What is wrong in a line or two, and below that, once it is opened, why and what to do. */
export function Finding({ finding, rules, isOpen, toggled }: FindingProps) {
  const { severity, kind, namespace, name, rule, message, now } = finding;
  return (
    <li class={`finding ${now?.state === 'struck' ? 'struck' : severity}`}>
      <details open={isOpen} onToggle={({ currentTarget }) => toggled(currentTarget.open)}>
        <summary>
          <span class="badges">
            {now === undefined ? undefined : <span class={`badge ${now.state}`}>{STATES[now.state]}</span>}
            <span class={`badge ${severity}`}>{severity}</span>
            <code>{rule}</code>
          </span>
          <h3>
            <span class="kind">{kind}</span> {namespace === undefined ? '' : `${namespace}/`}
            <wbr />
            {name}
          </h3>
          <p>{asSentence(message)}</p>
          {now === undefined || now.because === '' ? undefined : <p class="now">Now: {now.because}.</p>}
        </summary>
        {isOpen ? <Inside finding={finding} rules={rules} /> : undefined}
      </details>
    </li>
  );
}

const STATES = { struck: 'struck now', armed: 'armed', lucky: 'lucky so far' } as const;

function Inside({ finding, rules }: Pick<FindingProps, 'finding' | 'rules'>) {
  const { fix, or, command, rule, story, pictures, isCut } = finding;
  const { remedy, references = [], page } = rules[rule] ?? {};
  return (
    <div class="inside">
      <div class="remedy">
        <h4>What helps</h4>
        <Copied text={fix} />
        {or === undefined ? undefined : (
          <>
            <p>or, in another way,</p>
            <Copied text={or} />
          </>
        )}
        {command === undefined ? undefined : (
          <>
            <p>or, until it is applied again,</p>
            <Copied text={command} />
          </>
        )}
        {remedy === undefined ? undefined : <p class="how">{remedy}</p>}
      </div>
      {story === undefined || story.length === 0 ? undefined : (
        <>
          <h4>How it comes about</h4>
          <Story story={story} pictures={pictures ?? []} />
        </>
      )}
      {isCut ? <p class="how">This file has no room for its story: scan its namespace alone to see it.</p> : undefined}
      <h4>Evidence</h4>
      <Evidence finding={finding} />
      <p class="links">
        {page === undefined ? undefined : <a href={page}>{rule}</a>}
        {references.map((url) => (
          <a key={url} href={url} rel="noreferrer">
            {url.replace(/^https:\/\//, '')}
          </a>
        ))}
      </p>
    </div>
  );
}

function Evidence({ finding }: Pick<FindingProps, 'finding'>) {
  const { claims, at, template, evidence, related, assumed, also, fingerprint } = finding;
  const told = (label: string): readonly string[] =>
    evidence.filter((one) => one.label === label).map(({ text }) => text);
  const others = related.all - related.shown.length;
  const seen = related.shown.map(({ at: where, message }) => `${message} (${where})`);
  const rows: readonly (readonly [string, readonly string[]])[] = [
    [
      claims.length === 1 ? 'claim' : 'claims',
      evidence.some(({ label }) => label === 'claim') ? told('claim') : claims,
    ],
    ['used by', told('used by')],
    ['written at', [at, template].filter((one) => one !== undefined)],
    ['see', others > 0 ? [...seen, `and ${others} more`] : seen],
    ['assumed', assumed],
    ['also found by', also],
    ['fingerprint', [fingerprint]],
  ];
  return (
    <dl>
      {rows
        .filter(([, values]) => values.length > 0)
        .map(([term, values]) => (
          <div key={term}>
            <dt>{term}</dt>
            {values.map((value) => (
              <dd key={value}>{value}</dd>
            ))}
          </div>
        ))}
    </dl>
  );
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
