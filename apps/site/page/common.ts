/**
 * Code that most pages with programs share. Each of those pages imports all of it, so it is bundled
 * as one file. The bundler makes a file for each set of pages that share modules, and a browser
 * requests only six files at a time.
 */
import './client.ts';
import './examples.ts';
import './ui/dom.ts';
import './ui/playground.ts';
import './ui/program-editor.ts';
import './ui/results.ts';
import './ui/share.ts';
