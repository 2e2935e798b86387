/**
 * The parts that most pages with programs share. Each of those pages imports all of them, so they
 * are one file: the bundler makes a file for each set of pages that share modules, and a browser
 * asks for six files at a time.
 */
import './client.ts';
import './examples.ts';
import './ui/dom.ts';
import './ui/playground.ts';
import './ui/program-editor.ts';
import './ui/results.ts';
import './ui/share.ts';
