import './unmatched.test.ts';
