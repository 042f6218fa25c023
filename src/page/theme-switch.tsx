import { useLayoutEffect, useState } from 'preact/hooks';

const THEMES = ['auto', 'light', 'dark'] as const;

/** Light or dark as the browser is, until somebody says otherwise. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<(typeof THEMES)[number]>('auto');
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    <fieldset class="themes">
      <legend class="hidden">Colours</legend>
      {THEMES.map((one) => (
        <label key={one}>
          <input type="radio" name="theme" value={one} checked={one === theme} onChange={() => setTheme(one)} />
          <span>{one}</span>
        </label>
      ))}
    </fieldset>
  );
}
