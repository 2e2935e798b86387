import './giving-up.test.ts';
