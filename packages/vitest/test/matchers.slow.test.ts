import './matchers.test.ts';
