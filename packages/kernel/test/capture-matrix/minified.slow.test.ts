import './minified.test.ts';
