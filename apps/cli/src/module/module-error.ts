/** An error of a user's module, when it is loaded or from its host program. */
export class ModuleError extends Error {
  override readonly name: string = 'ModuleError';
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(`${file} failed`, { cause });
    this.file = file;
  }
}
