/**
 * What changed in a file, as `git apply` reads it, and `patch -p1` where its name has no space; empty where nothing did.
 * The library is loaded only where somebody asks for it.
 */
export async function unifiedDiff(file: string, before: string, after: string): Promise<string> {
  if (before === after) return '';
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff');
  const path = file.replace(/^\//, ''); // what stands outside, as git writes it
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}
