"""Why a rule found nothing: the questions whose answers decided, and their answers."""
