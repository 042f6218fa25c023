/** The path as other tools compare it with the paths in a repository: with forward slashes, and without a leading `./`. */
export function filePath(file: string): string {
  return file.replaceAll('\\', '/').replace(/^(?:\.\/+)+/, '');
}
