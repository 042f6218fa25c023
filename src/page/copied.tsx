import { useRef, useState } from 'preact/hooks';

/** How long it says that it is copied, in milliseconds. */
const FOR_A_WHILE = 2000;

/** A text to paste elsewhere, with a button that copies it. */
export function Copied({ text }: { readonly text: string }) {
  const [says, setSays] = useState('Copy');
  const place = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    setSays((await copied(text, place.current)) ? 'Copied' : 'Selected');
    setTimeout(() => setSays('Copy'), FOR_A_WHILE);
  };
  return (
    <div class="copied">
      <code ref={place}>{text}</code>
      <button type="button" onClick={copy} aria-label={`${says}: ${text}`}>
        {says}
      </button>
    </div>
  );
}

/** Where a page may not write to the clipboard, as over plain HTTP, the text is selected, so that a key copies it. */
async function copied(text: string, place: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    if (place === null) throw error;
    getSelection()?.selectAllChildren(place);
    return false;
  }
}
