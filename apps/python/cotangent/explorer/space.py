def described(result, options): raise NotImplementedError
