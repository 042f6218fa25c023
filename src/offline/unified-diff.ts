/**
 * What changed in a file, as `patch -p1` and `git apply` read it; empty where nothing did. The library is loaded only where
 * somebody asks for it.
 */
export async function unifiedDiff(file: string, before: string, after: string): Promise<string> {
  if (before === after) return '';
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  const afterName = file.includes(' ') ? '' : undefined; // a tab, without which `patch` reads up to the first space
  return createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after, afterName, afterName, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}
