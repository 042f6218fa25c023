import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageData, PageFinding } from '../report/html/page-data.ts';
import { choices, EVERYTHING, matching, searchable, type Wanted } from './filter.ts';
import { Finding } from './finding.tsx';

/** As many as are looked through at once. */
const A_PAGE = 25;
/** As many as somebody prints. */
const MOST_PRINTED = 200;

/** The findings, to look through and to search. */
export function Findings({ data }: { readonly data: PageData }) {
  const { shown, all } = data.findings;
  const [wanted, setWanted] = useState(EVERYTHING);
  const [room, setRoom] = useState(A_PAGE);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const isPrinting = usePrinting();
  const texts = useMemo(() => shown.map(searchable), [shown]);
  const found = useMemo(() => matching(texts, wanted), [texts, wanted]);
  const visible = found.slice(0, isPrinting ? MOST_PRINTED : room);
  const choose = (part: Partial<Wanted>): void => {
    setWanted({ ...wanted, ...part });
    setRoom(A_PAGE);
  };
  const areOpen = visible.every(({ fingerprint }) => open.has(fingerprint));
  const openAll = (): void => setOpen(new Set(areOpen ? [] : visible.map(({ fingerprint }) => fingerprint)));
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      {shown.length === 0 ? <p class="empty">Nothing is found.</p> : <Filters {...{ shown, wanted, choose }} />}
      <div class="found">
        <p class="told" aria-live="polite">
          {told({ found: found.length, visible: visible.length, shown: shown.length, all })}
        </p>
        {wanted === EVERYTHING ? undefined : (
          <button type="button" class="plain" onClick={() => choose(EVERYTHING)}>
            Show all
          </button>
        )}
        {visible.length === 0 ? undefined : (
          <button type="button" class="plain" onClick={openAll}>
            {areOpen ? 'Close' : 'Open'} these {visible.length}
          </button>
        )}
      </div>
      <ol class="findings">
        {visible.map((finding) => (
          <Finding
            key={finding.fingerprint}
            {...{ finding, rules: data.rules }}
            // What has struck is printed whole, and of the others what somebody has opened.
            isOpen={open.has(finding.fingerprint) || (isPrinting && finding.now?.state === 'struck')}
            toggled={(isOpen) => isPrinting || setOpen((before) => withOne(before, finding.fingerprint, isOpen))}
          />
        ))}
      </ol>
      {found.length > visible.length && !isPrinting ? (
        <button type="button" class="more" onClick={() => setRoom(room + A_PAGE)}>
          Show {Math.min(A_PAGE, found.length - visible.length)} more
        </button>
      ) : undefined}
    </section>
  );
}

function withOne(all: ReadonlySet<string>, one: string, isIn: boolean): ReadonlySet<string> {
  if (all.has(one) === isIn) return all;
  return isIn ? new Set([...all, one]) : new Set([...all].filter((other) => other !== one));
}

interface Counts {
  readonly found: number;
  readonly visible: number;
  readonly shown: number;
  readonly all: number;
}

function told({ found, visible, shown, all }: Counts): string {
  const number = (count: number): string => count.toLocaleString('en');
  const first = visible < found ? `the first ${number(visible)} of ` : '';
  const which = found === shown ? `all ${number(all)}` : `${number(found)} that match of ${number(all)}`;
  const cut = shown < all ? `; this file has room for ${number(shown)}` : '';
  return all === 0 ? '' : `Showing ${first}${which}${cut}.`;
}

/** Whether it is being printed, which needs more than a page of what is found. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const [begin, end] = [() => setPrinting(true), () => setPrinting(false)];
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

interface FiltersProps {
  readonly shown: readonly PageFinding[];
  readonly wanted: Wanted;
  readonly choose: (part: Partial<Wanted>) => void;
}

function Filters({ shown, wanted, choose }: FiltersProps) {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const typed = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLInputElement && event.target.type === 'search';
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', typed);
    return () => removeEventListener('keydown', typed);
  }, []);
  return (
    <search class="filters">
      <label class="search">
        <span class="caption">
          Search <kbd>/</kbd>
        </span>
        <input
          ref={search}
          type="search"
          placeholder="a name, a claim, a rule …"
          value={wanted.text}
          onInput={({ currentTarget }) => choose({ text: currentTarget.value })}
        />
      </label>
      <Choice name="Now" field="now" values={shown.map(({ now }) => now?.state)} {...{ wanted, choose }} />
      <Choice name="Severity" field="severity" values={shown.map(({ severity }) => severity)} {...{ wanted, choose }} />
      <Choice
        name="Namespace"
        field="namespace"
        values={shown.map(({ namespace }) => namespace)}
        {...{ wanted, choose }}
      />
      <Choice name="Rule" field="rule" values={shown.map(({ rule }) => rule)} {...{ wanted, choose }} />
    </search>
  );
}

interface ChoiceProps extends Omit<FiltersProps, 'shown'> {
  readonly name: string;
  readonly field: keyof Wanted;
  readonly values: readonly (string | undefined)[];
}

/** Nothing where there is nothing to choose. */
function Choice({ name, field, values, wanted, choose }: ChoiceProps) {
  const options = useMemo(() => choices(values), [values.length]);
  if (options.length < 2) return undefined;
  return (
    <label>
      <span class="caption">{name}</span>
      <select value={wanted[field]} onChange={({ currentTarget }) => choose({ [field]: currentTarget.value })}>
        <option value="">any</option>
        {options.map(([value, count]) => (
          <option key={value} value={value}>
            {value} ({count})
          </option>
        ))}
      </select>
    </label>
  );
}
