import { closeBrackets } from '@codemirror/autocomplete';
import { lintGutter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';

export { setDiagnostics } from '@codemirror/lint';

/** The extensions that are needed only for typing. */
export const forWriting: Extension = [closeBrackets(), lintGutter()];
