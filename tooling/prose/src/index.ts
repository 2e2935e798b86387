export { isWritten, markdownFiles } from './markdown-files.ts';
export { markdownTokens } from './markdown.ts';
