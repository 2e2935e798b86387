import './check-fix.test.ts';
