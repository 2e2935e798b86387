import './fixtures.test.ts';
