import './refusals.test.ts';
