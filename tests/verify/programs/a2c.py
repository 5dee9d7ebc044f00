import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable

torch.manual_seed(43)
NUM_PROCESSES, NUM_STEPS, GAMMA, TAU = 3, 5, 0.95, 0.9


class Envs(object):
    def __init__(self, n):
        self.position = torch.zeros(n)
        self.age = torch.arange(n).float()

    def observe(self):
        return torch.stack([self.position, self.age / 10], 1)

    def step(self, actions):
        self.position = self.position + actions.float() - 1
        self.age = self.age + 1
        done = (self.age > 7) | (self.position.abs() > 2.5)
        reward = 1 - self.position.abs() / 3
        self.position[done] = 0
        self.age[done] = 0
        return self.observe(), reward.unsqueeze(1), done


class Policy(nn.Module):
    def __init__(self):
        super(Policy, self).__init__()
        self.base = nn.GRUCell(2, 8)
        self.critic = nn.Linear(8, 1)
        self.actor = nn.Linear(8, 3)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.orthogonal_(m.weight, gain=0.5)
                m.bias.data.fill_(0)

    def forward(self, inputs, states, masks):
        states = self.base(inputs, states * masks)
        return self.critic(states), self.actor(states), states

    def act(self, inputs, states, masks):
        value, logits, states = self(inputs, states, masks)
        action = F.softmax(logits).multinomial(1)
        return value, action, F.log_softmax(logits).gather(1, action), states

    def evaluate_actions(self, inputs, states, masks, actions):
        value, logits, states = self(inputs, states, masks)
        log_probs = F.log_softmax(logits)
        entropy = -(log_probs * log_probs.exp()).sum(-1).mean()
        return value, log_probs.gather(1, actions), entropy


envs = Envs(NUM_PROCESSES)
policy = Policy()
optimizer = torch.optim.RMSprop(policy.parameters(), 7e-3, eps=1e-5, alpha=0.99)
observations = torch.zeros(NUM_STEPS + 1, NUM_PROCESSES, 2)
states = torch.zeros(NUM_STEPS + 1, NUM_PROCESSES, 8)
rewards = torch.zeros(NUM_STEPS, NUM_PROCESSES, 1)
values = torch.zeros(NUM_STEPS + 1, NUM_PROCESSES, 1)
masks = torch.ones(NUM_STEPS + 1, NUM_PROCESSES, 1)
actions = torch.zeros(NUM_STEPS, NUM_PROCESSES, 1).long()
observations[0].copy_(envs.observe())
for update in range(4):
    for step in range(NUM_STEPS):
        value, action, log_prob, state = policy.act(
            Variable(observations[step], volatile=True), Variable(states[step], volatile=True),
            Variable(masks[step], volatile=True))
        obs, reward, done = envs.step(action.data.squeeze(1))
        observations[step + 1].copy_(obs)
        states[step + 1].copy_(state.data)
        actions[step].copy_(action.data)
        values[step].copy_(value.data)
        rewards[step].copy_(reward)
        masks[step + 1].copy_((~done).float().unsqueeze(1))
    values[-1] = policy(Variable(observations[-1], volatile=True),
                        Variable(states[-1], volatile=True),
                        Variable(masks[-1], volatile=True))[0].data
    returns = torch.zeros(NUM_STEPS, NUM_PROCESSES, 1)
    gae = 0
    for step in reversed(range(NUM_STEPS)):
        delta = rewards[step] + GAMMA * values[step + 1] * masks[step + 1] - values[step]
        gae = delta + GAMMA * TAU * masks[step + 1] * gae
        returns[step] = gae + values[step]
    new_values, log_probs, entropy = policy.evaluate_actions(
        Variable(observations[:-1].view(-1, 2)), Variable(states[:-1].view(-1, 8)),
        Variable(masks[:-1].view(-1, 1)), Variable(actions.view(-1, 1)))
    advantages = Variable(returns.view(-1, 1)) - new_values
    value_loss = advantages.pow(2).mean()
    action_loss = -(Variable(advantages.data) * log_probs).mean()
    optimizer.zero_grad()
    (value_loss * 0.5 + action_loss - entropy * 0.01).backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
    optimizer.step()
    for kept in (observations, states, masks):
        kept[0].copy_(kept[-1])
    print('update {}, mean reward {:.4f}, entropy {:.5f}, value {:.5f}, policy {:.5f}'.format(
        update, rewards.mean(), entropy.item(), value_loss.item(), action_loss.item()))
