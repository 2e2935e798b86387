/** What a user's module threw, while it was loaded or while its host program ran. */
export class ModuleError extends Error {
  override readonly name: string = 'ModuleError';
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(`${file} failed`, { cause });
    this.file = file;
  }
}
