import './forced-pauses.test.ts';
