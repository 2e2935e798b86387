import './severities.test.ts';
