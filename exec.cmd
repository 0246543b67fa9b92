@rem npm scripts begin with "exec", so that a Unix shell makes way for the launcher and Ctrl-C ends
@rem with its exit code. Windows has no such word; here it is one.
@%*
