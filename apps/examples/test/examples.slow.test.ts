import './examples.test.ts';
